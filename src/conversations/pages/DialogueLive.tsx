import { useDialogueLive } from './applyLiveEvents.ts';

/** Keeps current what the pages show of leads and dialogues. Shows nothing itself. */
export default function DialogueLive({ productId }: { productId: number | null }) {
  useDialogueLive(productId);
  return null;
}
