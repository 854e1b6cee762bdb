/** Every corpus. */
import { ADDRESSES } from './addresses.ts';
import type { Corpus } from './corpus.ts';
import { CRM_ANSWERS, CRM_CARDS } from './crmCards.ts';
import { FILES } from './files.ts';
import { CHATPUSH_KINDS, WAZZUP_KINDS } from './hookKinds.ts';
import { HOOKS } from './hooks.ts';
import { MARKUP_AS_PLAIN_TEXT, MARKUP_ON_WHATSAPP } from './markup.ts';
import { CHANGES, CLOSINGS, ROBOTS } from './messages.ts';
import { MODEL_SERVERS } from './modelServers.ts';
import { OPT_OUTS } from './optOuts.ts';
import { PROMISES } from './promises.ts';
import { SPLIT } from './split.ts';
import { TEMPLATES } from './templates.ts';
import { USAGE } from './usage.ts';

export const CORPORA: readonly Corpus[] = [
  ADDRESSES,
  FILES,
  ...HOOKS,
  WAZZUP_KINDS,
  CHATPUSH_KINDS,
  CLOSINGS,
  ROBOTS,
  CHANGES,
  MARKUP_ON_WHATSAPP,
  MARKUP_AS_PLAIN_TEXT,
  SPLIT,
  MODEL_SERVERS,
  USAGE,
  OPT_OUTS,
  PROMISES,
  CRM_CARDS,
  CRM_ANSWERS,
  TEMPLATES,
];
