/** Which colleagues view a dialogue or type in it, as the stream reports it; forgotten when they are silent. */
import { useEffect, useSyncExternalStore } from 'react';
import { type presenceStates, reportPresence } from '../../../desk/contract.ts';
import { call } from '../../../ui/api.ts';

type PresenceState = (typeof presenceStates)[number];

interface Colleague {
  readonly login: string;
  readonly isTyping: boolean;
  /** When it was last reported, by this browser's clock, milliseconds. */
  readonly at: number;
}

const REPORT_EVERY_MS = 10_000;
const FORGET_AFTER_MS = 20_000;
/** Shortest interval between two reports while typing. */
const TYPING_EVERY_MS = 4000;

const NOBODY: readonly Colleague[] = [];
const colleaguesByDialogue = new Map<number, readonly Colleague[]>();
const listeners = new Set<() => void>();

/** Store what the stream reports. */
export function applyPresence(dialogueId: number, login: string, state: PresenceState): void {
  const others = (colleaguesByDialogue.get(dialogueId) ?? NOBODY).filter((one) => one.login !== login);
  const now = Date.now();
  set(dialogueId, state === 'left' ? others : [...others, { login, isTyping: state === 'typing', at: now }]);
  if (state !== 'left') setTimeout(() => forgetSilent(dialogueId), FORGET_AFTER_MS + 100);
}

function forgetSilent(dialogueId: number): void {
  const present = colleaguesByDialogue.get(dialogueId) ?? NOBODY;
  const active = present.filter(({ at }) => Date.now() - at < FORGET_AFTER_MS);
  if (active.length < present.length) set(dialogueId, active);
}

function set(dialogueId: number, colleagues: readonly Colleague[]): void {
  if (colleagues.length === 0) colleaguesByDialogue.delete(dialogueId);
  else colleaguesByDialogue.set(dialogueId, colleagues);
  for (const listener of listeners) listener();
}

/** Return the colleagues who are in a dialogue now. */
export function useColleagues(dialogueId: number, ownLogin: string): readonly Colleague[] {
  const present = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => colleaguesByDialogue.get(dialogueId) ?? NOBODY,
  );
  return present.filter(({ login }) => login !== ownLogin);
}

/** Report to colleagues that the operator views the dialogue, and types when `text` changes. */
export function usePresenceReports(dialogueId: number, text: string): void {
  useEffect(() => {
    const report = (state: PresenceState) => send(dialogueId, state);
    const reportViewing = () => {
      if (document.visibilityState === 'visible') report('viewing');
      else report('left');
    };
    reportViewing();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reportViewing();
    }, REPORT_EVERY_MS);
    document.addEventListener('visibilitychange', reportViewing);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', reportViewing);
      report('left');
      lastTyping.delete(dialogueId);
      lastTexts.delete(dialogueId);
    };
  }, [dialogueId]);
  useEffect(() => {
    const before = lastTexts.get(dialogueId);
    lastTexts.set(dialogueId, text);
    // A draft that was restored is not being typed.
    if (before === undefined || before === text || text === '') return;
    if (Date.now() - (lastTyping.get(dialogueId) ?? 0) < TYPING_EVERY_MS) return;
    lastTyping.set(dialogueId, Date.now());
    send(dialogueId, 'typing');
  }, [dialogueId, text]);
}

const lastTyping = new Map<number, number>();
const lastTexts = new Map<number, string>();

function send(dialogueId: number, state: PresenceState): void {
  // A report that is lost is followed by the next one.
  call(reportPresence, { params: { id: dialogueId }, body: { state } }).catch(() => undefined);
}
