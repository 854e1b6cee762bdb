/** Reads the circumstances of a product's talks, as they are now. */
import { readFirstTextSources } from '../../outreach/messageText.ts';
import { readProductSettings } from '../../outreach/readProductSettings.ts';
import type { Reader } from '../../platform/db.ts';
import { readPrompt } from '../../prompts/prompt.ts';
import { describedPrompts, readPreparedMessage } from '../../prompts/promptReferences.ts';
import { readTalkSettings, type TalkSettings } from '../store/talkWorlds.ts';
import type { TalkWorld } from './talkWorld.ts';

/** Of a product without a channel. */
const NO_CHANNEL = {
  id: 0,
  type: 'whatsapp',
  vendor: 'wazzup24',
  delay_messages_symbols_per_second: null,
  delay_messages_seconds: null,
} as const satisfies TalkSettings['channel'];

/** Read the circumstances; undefined if the product does not exist. */
export async function readTalkWorld(reader: Reader, productId: number): Promise<TalkWorld | undefined> {
  const stored = await readProductSettings(reader, productId);
  const settings = await readTalkSettings(reader, productId);
  if (!stored || !settings) return undefined;
  const { id: channelId, ...channel } = settings.channel ?? NO_CHANNEL;
  const canWriteFirst = stored.links.find((link) => link.channelId === channelId)?.canWriteFirst ?? true;
  const messaging = stored.config.messaging_config;
  const limit = { whatsapp: messaging?.whatsapp_daily_limit, telegram: messaging?.tg_daily_limit }[channel.type] ?? 0;
  return {
    from: Math.floor(settings.now),
    timezone: stored.zone,
    config: stored.config,
    reply_hours: stored.replyHours,
    schedule: stored.schedule,
    pings: stored.pings,
    channel: { ...channel, can_write_first: canWriteFirst },
    hand_over: settings.hand_over,
    hand_over_text: settings.hand_over_text,
    detection_minutes: settings.detection_minutes,
    first_message: canWriteFirst && limit > 0 ? await readFirstTemplate(reader, productId) : null,
    steps: await readSteps(reader, productId, stored.pings?.config.steps ?? []),
    texts: (await describedPrompts(reader, productId)).map(({ id, name, version, rag_description, text }) => ({
      id,
      name,
      version,
      description: rag_description,
      text,
    })),
  };
}

/** Read the template of the first message; null: there is none, or a model would write it for each lead. */
async function readFirstTemplate(reader: Reader, productId: number): Promise<string | null> {
  const base = (await readFirstTextSources(reader, productId))?.base;
  return base?.kind === 'template' ? base.template : null;
}

type Step = Pick<
  NonNullable<TalkWorld['pings']>['config']['steps'][number],
  'step_number' | 'prepared_message_id' | 'prompt_id'
>;

async function readSteps(reader: Reader, productId: number, steps: readonly Step[]): Promise<TalkWorld['steps']> {
  const found: TalkWorld['steps'] = [];
  for (const { step_number, prepared_message_id: preparedId, prompt_id: promptId } of steps) {
    const prepared = preparedId === null ? undefined : await readPreparedMessage(reader, preparedId, productId);
    const prompt = promptId === null ? undefined : await readPrompt(reader, promptId);
    found.push({
      step_number,
      template: prepared?.message ?? null,
      prompt: prompt ? { id: prompt.id, name: prompt.name, version: prompt.version, text: prompt.text } : null,
    });
  }
  return found;
}
