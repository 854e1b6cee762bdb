/** Hands a dialogue back to the bot, and says before what it then does. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type HandBack, readHandBack } from '../../../outreach/handBackContract.ts';
import { queryOf, useEndpoint } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';
import type { Dialogue } from '../../contract.ts';
import { describeHandBack } from '../handBack.ts';
import { HandBackDialog } from './HandBackDialog.tsx';

/** How old the sentence on the button may be; what is asked when it is pressed is fresh. */
const REFETCH_MS = 60_000;

/** `handBack` is called at once if nothing waits in the dialogue, else with what the operator chooses. */
export function useHandBack(
  { id, owner }: Pick<Dialogue, 'id' | 'owner'>,
  handBack: (choice: { staySilent: boolean }) => void,
) {
  const cache = useQueryClient();
  const args = { params: { id } };
  const latest = useEndpoint(readHandBack, args, {
    enabled: owner === 'human',
    staleTime: 0,
    refetchInterval: owner === 'human' ? REFETCH_MS : false,
  });
  const [asked, setAsked] = useState<HandBack | null>(null);
  const [isAsking, setAsking] = useState(false);
  const ask = async () => {
    setAsking(true);
    try {
      const preview = await cache.fetchQuery({ ...queryOf(readHandBack, args), staleTime: 0 });
      if (preview.message === null) handBack({ staySilent: false });
      else setAsked(preview);
    } catch (failed) {
      toast.failure(failed);
    } finally {
      setAsking(false);
    }
  };
  return {
    /** What happens if it is handed back now; null if that is not known. */
    sentence: owner === 'human' && latest.data ? describeHandBack(latest.data) : null,
    isAsking,
    ask: () => {
      if (!isAsking) void ask();
    },
    dialog: asked && <HandBackDialog handBack={asked} onHandBack={handBack} onClose={() => setAsked(null)} />,
  };
}
