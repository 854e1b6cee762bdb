/** Which models there are, and those that are used where a product names none. */
import { useEffect } from 'react';
import { useEndpoint } from '../../kit/query.ts';
import { FALLBACK_MODELS, type LlmSettings, readLlmSettings } from '../settingsContract.ts';

interface LlmSettingsInView {
  /** Undefined while they are read, and after a failure. */
  readonly settings: LlmSettings | undefined;
  /** Those of the settings; without them a kept list. */
  readonly models: LlmSettings['models'];
  readonly error: Error | null;
  readonly again: () => void;
}

/** The settings of a company's models; null: no company is chosen yet. A failure is logged. */
export function useLlmSettings(companyId: number | null): LlmSettingsInView {
  const query = { company_id: companyId ?? undefined };
  const { data, error, refetch } = useEndpoint(readLlmSettings, { query }, { enabled: companyId !== null });
  useEffect(() => {
    if (error !== null) console.warn('Failed to load LLM settings', error);
  }, [error]);
  return { settings: data, models: data?.models ?? FALLBACK_MODELS, error, again: () => void refetch() };
}
