/**
 * The types of messages as messengers and their libraries call them (WhatsApp Web, WhatsApp's Cloud API, Baileys, tdlib,
 * Telegram's Bot API). Vendors pass these words on and list few of them, so one table serves all vendors.
 */
import type { MessageKind } from './messageKindContract.ts';

/** Kinds by type, as `typeWord` spells it. */
const WORDS: Readonly<Record<MessageKind, string>> = {
  text: 'text chat formattedtext conversation extendedtext ephemeral wapitemplate template hsm oversized richtext comment questionreply',
  image: 'image photo picture album',
  video: 'video',
  GIF: 'gif animation',
  'video note': 'videonote ptv roundvideo',
  'voice message': 'audio voice voicenote ptt',
  document: 'document file documentwithcaption',
  'contact card': 'contact contacts vcard multivcard contactsarray sharedcontact',
  location: 'location geo venue',
  'live location': 'livelocation',
  poll: 'poll pollcreation quiz',
  'poll vote': 'pollvote pollupdate pollanswer',
  'button reply':
    'buttonreply buttonsresponse buttonresponse templatebuttonreply button quickreply interactiveresponse',
  'list reply': 'listreply listresponse',
  'form reply': 'nfmreply flowresponse nativeflowresponse passportdatasent webappdatasent',
  'product inquiry': 'product productinquiry catalog productlist',
  'story reply': 'storyreply story storymention statusmention statusreply',
  checklist: 'checklist todo',
  sticker: 'sticker animatedsticker animatedemoji lottiesticker stickerpack',
  reaction: 'reaction encreaction',
  'removed reaction': 'reactionremoved removedreaction unreaction',
  dice: 'dice',
  game: 'game',
  missing_call:
    'call calllog missedcall missingcall callhistory calllogmessage calllogmesssage groupcall videocall voicecall',
  order: 'order',
  payment:
    'payment sendpayment requestpayment declinepaymentrequest cancelpaymentrequest invoice paymentsuccessful paymentinvite successfulpayment',
  gift: 'gift giftedpremium giftedstars upgradedgift premiumgiftcode giveaway giveawaywinners giveawayprize giveawayprizestars premiumgiveaway',
  invite: 'invite groupinvite groupsv4invite newsletteradmininvite',
  event: 'event eventcreation scheduledcallcreation scheduledcalledit',
  'view-once media':
    'viewonce viewoncemessagev2extension viewonceimage viewoncevideo viewonceaudio viewoncemessage expiredphoto expiredvideo expiredvideonote expiredvoicenote',
  empty: '',
  // WhatsApp Web shows a message that it could not decrypt (yet) as `ciphertext`.
  unsupported: 'unsupported placeholder ciphertext',
  unknown: 'unknown',
  system:
    'system service e2enotification notification notificationtemplate groupnotification broadcastnotification gp2 protocol ' +
    'revoked debug senderkeydistribution fastratchetkeysenderkeydistribution securitynotification pin pinmessage pininchat keepinchat contactregistered screenshottaken ' +
    'chatsetmessageautodeletetime chatsetttl chatsetbackground chatsettheme chatjoinbylink chatjoinbyrequest chataddmembers ' +
    'chatdeletemember chatdeletephoto chatchangephoto chatchangetitle chatupgradeto chatupgradefrom basicgroupchatcreate ' +
    'supergroupchatcreate customserviceaction botwriteaccessallowed proximityalerttriggered ephemeralsetting ' +
    'messagehistorynotice historysync userscreated suggestprofilephoto newsletternotification ' +
    'contextinfo messagecontextinfo peerdataoperationrequest limitsharing pollresultsnapshot secretencrypted',
};

const KIND_OF = new Map<string, MessageKind>();
for (const kind of Object.keys(WORDS).filter((name): name is MessageKind => name in WORDS))
  for (const word of WORDS[kind].split(' ')) if (word !== '') KIND_OF.set(word, kind);

/** Spell a type without what libraries add to it: `messagePoll`, `pollCreationMessageV3` and `poll_creation`. */
function typeWord(type: string): string {
  const word = type.toLowerCase().replace(/[^a-z0-9]/g, '');
  return word
    .replace(/v\d+$/, '')
    .replace(/^message(?=.)/, '')
    .replace(/(?<=.)message$/, '');
}

/** Return the kind that a messenger's type means; null if nobody knows it. */
export function kindOfType(type: string): MessageKind | null {
  return KIND_OF.get(typeWord(type)) ?? KIND_OF.get(type.toLowerCase().replace(/[^a-z0-9]/g, '')) ?? null;
}

/** Return the words that operators read for a message whose type nobody knows. */
export function unknownText(type: string): string {
  const name = type.replace(/[^\w .-]/g, '').slice(0, 60);
  return name === '' ? '[unknown kind]' : `[unknown kind: ${name}]`;
}

/** Whether a type says that another message was deleted for everybody. */
export const isDeletionType = (type: string): boolean =>
  ['revoked', 'revoke', 'deleted', 'delete', 'updatedeletemessages', 'deletemessages'].includes(typeWord(type));

/** Whether a type says that another message was edited. */
export const isEditType = (type: string): boolean =>
  ['edited', 'edit', 'messageedit', 'updatemessagecontent', 'updatemessageedited'].includes(typeWord(type));
