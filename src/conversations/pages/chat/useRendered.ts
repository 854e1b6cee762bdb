import { useQuery } from '@tanstack/react-query';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { renderForLead } from '../../classificationConfigContract.ts';

interface RenderedText {
  /** Null if the message cannot be used for this lead. */
  readonly text: string | null;
  /** Why not. */
  readonly problem: string | null;
}

/** Return a prepared message as this lead would read it; undefined until it is known. */
export function useRendered({
  productId,
  leadId,
  text,
}: {
  productId: number;
  leadId: number;
  text: string | null;
}): RenderedText | undefined {
  const { data, error } = useQuery({
    queryKey: ['prepared for lead', productId, leadId, text],
    queryFn: ({ signal }) =>
      call(renderForLead, {
        body: { product_id: productId, text: text ?? '', lead_id: leadId, kind: 'message' },
        signal,
      }),
    enabled: text !== null,
  });
  if (error) return { text: null, problem: error.message };
  if (!data) return undefined;
  if (data.missing !== null)
    return { text: null, problem: t('{{variable}} is empty for this lead.', { variable: data.missing }) };
  return { text: data.text, problem: data.error };
}
