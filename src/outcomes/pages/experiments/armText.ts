/** What an arm would say, and what the product says now. */
import { readLlmSettings } from '../../../llm/settingsContract.ts';
import { llmVendorNames, products } from '../../../products/contract.ts';
import {
  documentPrompts,
  preparedMessages,
  promptOfProduct,
  prompts,
  versionsOfPrompt,
} from '../../../prompts/contract.ts';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import type { Experiment } from '../../experimentContract.ts';
import type { ArmDraft } from './experimentDraft.ts';

interface ArmText {
  readonly text: string;
  readonly kind: 'prompt' | 'message';
}

interface Wanted {
  readonly text?: string;
  readonly preparedId?: number | null;
  readonly documentId?: number | null;
  readonly promptId?: number | null;
  readonly version?: number | null;
}

/** Read the text of an arm; null while it loads, if nothing is chosen, and for models. */
export function useArmText(arm: ArmDraft, current: CurrentContent): ArmText | null {
  const wanted = arm.source === 'current' ? current.wanted : wantedOf(arm);
  const { preparedId = null, documentId = null, promptId = null, version = null } = wanted;
  const prepared = useEndpoint(
    preparedMessages.get,
    { params: { id: preparedId ?? 0 } },
    { enabled: preparedId !== null },
  );
  const document = useEndpoint(
    documentPrompts.get,
    { params: { id: documentId ?? 0 } },
    { enabled: documentId !== null },
  );
  const documentPromptId = document.data?.prompt_id ?? null;
  const written = useEndpoint(
    prompts.get,
    { params: { id: documentPromptId ?? 0 } },
    { enabled: documentId !== null && documentPromptId !== null },
  );
  const versions = useEndpoint(
    versionsOfPrompt,
    { query: { prompt_id: promptId ?? 0, limit: 100 } },
    { enabled: promptId !== null },
  );
  if (wanted.text !== undefined) return { text: wanted.text, kind: 'message' };
  if (preparedId !== null) return prepared.data ? { text: prepared.data.message, kind: 'message' } : null;
  if (documentId !== null) return written.data ? { text: written.data.text, kind: 'prompt' } : null;
  const found = promptId === null ? undefined : versions.data?.items.find((one) => one.version === version);
  return found ? { text: found.text, kind: 'prompt' } : null;
}

function wantedOf(arm: ArmDraft): Wanted {
  switch (arm.source) {
    case 'current':
    case 'model':
      return {};
    case 'text':
      return { text: arm.text };
    case 'prepared_message':
      return { preparedId: arm.prepared_message_id };
    case 'document_prompt':
      return { documentId: arm.document_prompt_id };
    case 'prompt':
      return { promptId: arm.prompt_id, version: arm.prompt_version };
    default:
      return arm.source satisfies never;
  }
}

/** What a product uses now. */
export interface CurrentContent {
  /** In words; null while it loads. */
  readonly label: string | null;
  readonly wanted: Wanted;
}

const NOTHING: CurrentContent = { label: null, wanted: {} };

/** Read what the product uses now for a kind of experiment. */
export function useCurrentContent(productId: number, kind: Experiment['kind']): CurrentContent {
  const firstText = useCurrentFirstText(productId, kind === 'first_text');
  const model = useCurrentModel(productId, kind === 'model');
  const prompt = useEndpoint(
    promptOfProduct,
    { params: { product_id: productId } },
    { enabled: productId > 0 && kind === 'prompt' },
  );
  switch (kind) {
    case 'first_text':
      return firstText;
    case 'model':
      return model;
    case 'prompt': {
      if (prompt.error) return { label: t('The product has no chatbot prompt yet.'), wanted: {} };
      if (!prompt.data) return NOTHING;
      const { id, name, version } = prompt.data;
      return {
        label: t('Prompt “{{name}}”, version {{version}}', { name, version }),
        wanted: { promptId: id, version },
      };
    }
    default:
      return kind satisfies never;
  }
}

function useCurrentFirstText(productId: number, enabled: boolean): CurrentContent {
  const product = useEndpoint(products.get, { params: { id: productId } }, { enabled: enabled && productId > 0 });
  const messaging = product.data?.config.messaging_config;
  const documentId = messaging?.initial_message_document_prompt_id ?? null;
  const preparedId = messaging?.initial_message_prepared_message_id ?? null;
  const document = useEndpoint(
    documentPrompts.get,
    { params: { id: documentId ?? 0 } },
    { enabled: enabled && documentId !== null },
  );
  const prepared = useEndpoint(
    preparedMessages.get,
    { params: { id: preparedId ?? 0 } },
    { enabled: enabled && preparedId !== null },
  );
  if (!product.data) return NOTHING;
  if (documentId !== null)
    return {
      label: document.data ? t('Document prompt “{{name}}”', { name: document.data.name }) : null,
      wanted: { documentId },
    };
  if (preparedId !== null)
    return {
      label: prepared.data ? t('Prepared message “{{name}}”', { name: prepared.data.name }) : null,
      wanted: { preparedId },
    };
  const text = messaging?.initial_message_text ?? '';
  if (text === '') return { label: t('The product has no first message yet.'), wanted: {} };
  return { label: t('The initial message text of the settings'), wanted: { text } };
}

function useCurrentModel(productId: number, enabled: boolean): CurrentContent {
  const { company } = useScope();
  const product = useEndpoint(products.get, { params: { id: productId } }, { enabled: enabled && productId > 0 });
  const settings = useEndpoint(
    readLlmSettings,
    { query: { company_id: company?.id ?? 0 } },
    { enabled: enabled && company !== null },
  );
  if (!product.data || !settings.data) return NOTHING;
  const own = product.data.config.models_config?.chatbot_model_config ?? settings.data.default_chatbot_model;
  const { vendor, model, temperature } = own;
  if (!vendor || !model) return { label: t('The product has no chatbot model yet.'), wanted: {} };
  return {
    label: t('{{vendor}} {{model}}, temperature {{temperature}}', {
      vendor: llmVendorNames[vendor],
      model,
      temperature,
    }),
    wanted: {},
  };
}
