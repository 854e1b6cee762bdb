/** The composer: a message to the lead, or a note for colleagues. The draft of each survives leaving the page. */
import { lazy, memo, type RefObject, Suspense, useEffect, useRef } from 'react';
import { formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { useShortcut, useShortcutHint } from '../../../ui/shortcuts.ts';
import type { DialogueView } from '../../contract.ts';
import { ComposerTools } from './ComposerTools.tsx';
import classes from './chat.module.css';
import { MessageField } from './MessageField.tsx';
import { usePresenceReports } from './presence.ts';
import { SendButtons } from './SendButtons.tsx';
import { type ComposedMessage, useComposer } from './useComposer.ts';

/** Loaded lazily: the calendar is large and rarely needed. */
const ScheduleDialog = lazy(() => import('./ScheduleDialog.tsx'));

interface ComposerProps {
  view: DialogueView;
  onSend: (outgoing: ComposedMessage) => void;
  /** Sends, and opens the next dialogue that waits; null if there is no queue. */
  onSendNext: ((outgoing: ComposedMessage) => void) | null;
  /** Whether the cursor is put into the field. */
  writesAtOnce: boolean;
}

/** Memoised, because its textarea measures its text on every rendering, which forces a layout of the whole page. */
export const Composer = memo(function Composer({ view, onSend, onSendNext, writesAtOnce }: ComposerProps) {
  const { dialogue, lead, channel } = view;
  const input = useRef<HTMLTextAreaElement>(null);
  const composer = useComposer(view, { input, onSend, onSendNext });
  const { isNote, draft, note, text } = composer;
  const isBlank = text.trim() === '';
  usePresenceReports(dialogue.id, text);
  useComposerKeys(input, writesAtOnce);

  return (
    <div className={classes.composer} data-note={isNote || undefined}>
      <MessageField
        recipient={{ productId: dialogue.product_id, leadId: lead.id }}
        text={text}
        onText={composer.setText}
        onChoose={isNote ? null : draft.choose}
        onKey={composer.onKey}
        input={input}
        look={{
          'aria-label': isNote ? t('Note') : t('Message'),
          placeholder: isNote ? t('Write a note for colleagues') : t('Write a message'),
          minRows: 1,
          maxRows: 10,
          maxLength: isNote ? 5000 : 20_000,
        }}
        tools={
          <ComposerTools
            view={view}
            isNote={isNote}
            onNote={composer.setNote}
            onPrepared={composer.offerPrepared}
            canInsert={draft.text === ''}
            input={input}
            onSuggested={draft.insertSuggestion}
          />
        }
        buttons={
          <SendButtons
            isNote={isNote}
            isBlank={isBlank || (isNote && note.isAdding)}
            isBots={dialogue.owner === 'bot'}
            hasNext={onSendNext !== null}
            onSend={composer.sendNow}
            onSchedule={() => composer.setScheduling(true)}
          />
        }
      />
      <Hint
        isNote={isNote}
        isSuggested={draft.isSuggested}
        botReadsNotes={view.bot_reads_notes}
        takesOver={dialogue.owner === 'bot'}
        length={text.length}
        limit={channel.text_limit}
      />
      {composer.isScheduling && <Schedule composer={composer} leadZone={view.lead_timezone} />}
    </div>
  );
});

function Schedule({ composer, leadZone }: { composer: ReturnType<typeof useComposer>; leadZone: string }) {
  const close = () => composer.setScheduling(false);
  return (
    <Suspense>
      <ScheduleDialog
        title={t('Send later')}
        submit={t('Schedule')}
        text={composer.draft.text}
        onText={composer.draft.setText}
        at={null}
        leadZone={leadZone}
        askHours
        onClose={close}
        onSubmit={(when) => {
          close();
          composer.submit({ text: when.text, sendNotBefore: when.at, scheduleEnabled: when.withinHours });
        }}
      />
    </Suspense>
  );
}

function useComposerKeys(input: RefObject<HTMLTextAreaElement | null>, writesAtOnce: boolean): void {
  useShortcut('r', t('Write a reply'), () => input.current?.focus());
  useShortcutHint('mod+Enter', t('Send'));
  useShortcutHint('mod+Shift+Enter', t('Send, and open the next waiting dialogue'));
  useEffect(() => {
    if (writesAtOnce) input.current?.focus();
  }, [writesAtOnce, input]);
}

interface HintProps {
  isNote: boolean;
  /** The text began as a suggestion of the bot. */
  isSuggested: boolean;
  botReadsNotes: boolean;
  takesOver: boolean;
  /** Of the text and of the longest message, characters. */
  length: number;
  limit: number;
}

function Hint({ isNote, isSuggested, botReadsNotes, takesOver, length, limit }: HintProps) {
  if (isNote)
    return (
      <div className={classes.hint}>
        <span>
          {botReadsNotes
            ? t('For operators only: never sent, but the bot reads it.')
            : t('For operators only: never sent, and not read by any model.')}
        </span>
      </div>
    );
  return (
    <div className={classes.hint}>
      <span>
        {isSuggested && t('Suggested by the bot: check it before you send it.')}{' '}
        {takesOver
          ? t('Sending takes the dialogue over from the bot.')
          : !isSuggested && <span data-key-hint>{t('Shift+Enter starts a new line.')}</span>}
      </span>
      <LengthHint length={length} limit={limit} />
    </div>
  );
}

/** Shows the length of a text that comes near the limit of one message. */
function LengthHint({ length, limit }: { length: number; limit: number }) {
  if (length <= limit * 0.8) return null;
  if (length <= limit)
    return (
      <span>
        {formatNumber(length)} / {formatNumber(limit)}
      </span>
    );
  return (
    <span role="status">
      {t('Longer than {{limit}} characters: it is sent as several messages.', { limit: formatNumber(limit) })}
    </span>
  );
}
