/** Changes of an experiment that has been saved, with what they change on other pages. */
import { useQueryClient } from '@tanstack/react-query';
import { call, ifMatchOf } from '../../../ui/api.ts';
import { keyOf, setCachedAnswer } from '../../../ui/query.ts';
import {
  applyExperiment,
  type Experiment,
  type ExperimentResults,
  experiments,
  readExperimentResults,
  startExperiment,
  stopExperiment,
} from '../../experimentContract.ts';

type Target = NonNullable<ExperimentResults['target']>;

export function useExperimentActions(experiment: Pick<Experiment, 'id' | 'version'>) {
  const cache = useQueryClient();
  const { id } = experiment;
  const ifMatch = ifMatchOf(experiment);
  const refresh = async (now: Experiment): Promise<Experiment> => {
    setCachedAnswer(cache, keyOf(experiments.get, { params: { id } }), now);
    await Promise.all([
      cache.invalidateQueries({ queryKey: keyOf(experiments.list) }),
      cache.invalidateQueries({ queryKey: keyOf(readExperimentResults, { params: { id } }) }),
    ]);
    return now;
  };
  return {
    start: async () => refresh(await call(startExperiment, { params: { id }, ifMatch })),
    stop: async () => refresh(await call(stopExperiment, { params: { id }, ifMatch })),
    /** Makes an arm what the product uses: changes the target, as the results name it. */
    apply: async (arm: number, target: Pick<Target, 'id' | 'version'>) => {
      const body = { arm, target_id: target.id, target_version: target.version };
      return refresh(await call(applyExperiment, { params: { id }, body, ifMatch }));
    },
  };
}

export type ExperimentActions = ReturnType<typeof useExperimentActions>;
