/** The model runs behind the demo's messages and classifications. */
import { HISTORY_LIMIT } from '../conversations/systemPrompt.ts';
import { isInHistory, isOfLead, type LeadHistory, type Rows } from './demoHistory.ts';
import type { DemoMessage } from './demoLeads/timeline.ts';
import { iso, type Row } from './demoTables.ts';

export const MODEL = { vendor: 'chatgpt', name: 'gpt-4o-mini' };
/** How far back messages and classifications keep their runs. */
export const RUN_RETENTION_MS = 30 * 24 * 3600 * 1000;
/** Failed attempts behind a 'No answer'. */
const ATTEMPTS = 3;

/** Estimate about as many tokens as a model would count. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

interface Run {
  readonly purpose: 'chatbot' | 'classification' | 'ping';
  readonly prompt: { readonly id: number; readonly name: string; readonly version: number };
  /** Messages before the run. */
  readonly previous: readonly DemoMessage[];
  readonly system: string;
  readonly turn: number;
  readonly answer: string;
  /** Columns that differ. */
  readonly rest: Row;
}

/** Build the row of a successful run, unless `rest` replaces its columns. */
export function runRow({ product, ids }: LeadHistory, run: Run): Row {
  const history = run.previous.filter(isInHistory).slice(-HISTORY_LIMIT);
  const { id, name, version } = run.prompt;
  return {
    product_id: product.id,
    dialogue_id: ids.dialogue,
    lead_id: ids.lead,
    message_id: null,
    purpose: run.purpose,
    name,
    model_vendor: MODEL.vendor,
    model_name: MODEL.name,
    execution_ms: 240 + run.answer.length * 4,
    token_input_usage: tokens(run.system) + history.reduce((sum, one) => sum + tokens(one.text) + 4, 0),
    token_output_usage: tokens(run.answer),
    metadata: {
      finish: 'stop',
      model: MODEL.name,
      system_fingerprint: 'sandbox',
      prompt_id: id,
      prompt_version: version,
      turn: run.turn,
    },
    error: null,
    ...run.rest,
  };
}

/** Build the row of the failed run behind an unanswered message. */
export function failedRunRow(history: LeadHistory, error: string, system: string): Row {
  const { messages, product } = history;
  const { id, name, versions } = product.prompt;
  const run = runRow(history, {
    purpose: 'chatbot',
    prompt: { id, name, version: versions.length },
    previous: messages,
    system,
    turn: messages.filter(isOfLead).length,
    answer: '',
    rest: {
      created_at: iso((messages.at(-1)?.at ?? 0) + 7000),
      execution_ms: 1350,
      token_input_usage: null,
      token_output_usage: null,
      error,
    },
  });
  return { ...run, metadata: { ...Object(run['metadata']), attempts: ATTEMPTS } };
}

const CONFIRMATIONS = {
  success: { type: 'qualification', sentence: 'The lead agreed in its own words.' },
  refused: { type: 'refusal_qualification', sentence: 'The lead says that it wants no kitchen from us.' },
} as const;

/** Add a classification of the lead's last message, whether it moved the lead or not. */
export function addClassification(rows: Rows, history: LeadHistory): void {
  const { product, lead, messages, ids, now } = history;
  const moved = history.events.find((one) => one.content['by'] === 'classification');
  const words = messages.filter((one) => isOfLead(one) && (!moved || one.at <= moved.at));
  const last = words.at(-1);
  const reason = moved ? moved.content['reason'] : lead.judged;
  if (reason === undefined || !last) return;
  const at = moved?.at ?? Math.min(last.at + 75_000, now);
  const confirmation =
    moved && (lead.stage === 'success' || lead.stage === 'refused') ? CONFIRMATIONS[lead.stage] : null;
  rows.classification_results.push({
    product_id: product.id,
    dialogue_id: ids.dialogue,
    config_id: product.classification?.configId ?? null,
    result: {
      stage: moved ? lead.stage : 'ongoing',
      reason,
      ...(product.classification && confirmation ? { confirmed: true, confirmation: confirmation.sentence } : {}),
    },
    turn: words.length,
    created_at: iso(at),
  });
  for (const type of ['classification', confirmation?.type] as const) {
    const prompt = type && product.classification?.prompts.get(type);
    if (!prompt || now - at > RUN_RETENTION_MS) continue;
    rows.llm_runs.push(
      runRow(history, {
        purpose: 'classification',
        prompt: { ...prompt, version: 1 },
        previous: words,
        system: '',
        turn: words.length,
        answer: reason,
        rest: { created_at: iso(at) },
      }),
    );
  }
}
