import { t } from '../../../ui/i18n.ts';
import { PageLoading } from '../../../ui/PageLoading.tsx';
import { parseId, usePage } from '../../../ui/page.ts';
import { useFreshQuery } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { experiments } from '../../experimentContract.ts';
import { ExperimentEditor } from './ExperimentEditor.tsx';
import { ExperimentRecord } from './ExperimentRecord.tsx';

/** Page of one experiment: the editor of a draft, else its record. Without an id it is the form for a new one. */
export default function ExperimentDetailPage() {
  const page = usePage();
  const { product } = useScope();
  const idParam = page.params.experimentId ?? '';
  const id = parseId(idParam);
  const found = useFreshQuery(experiments.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  if (idParam === '') return <ExperimentEditor key="new" experiment={null} productId={product?.id ?? 0} />;
  if (found.data?.state === 'draft')
    return <ExperimentEditor key={id} experiment={found.data} productId={found.data.product_id} />;
  if (found.data) return <ExperimentRecord key={id} experiment={found.data} />;
  return (
    <PageLoading
      title={t('Experiment')}
      entity={t('experiment')}
      description={t('One experiment.')}
      error={found.error}
      onRetry={() => void found.refetch()}
      onBack={() => page.back('experiments')}
    />
  );
}
