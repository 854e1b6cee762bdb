import { useState } from 'react';
import { toast } from './toast.ts';
import { ConflictError } from './useDraft.tsx';

interface Saving {
  saving: boolean;
  /** The error of the last attempt, unless it is shown beside a field. */
  error: Error | null;
  clearError: () => void;
  /** Runs a save and resolves to whether it succeeded. `isShownElsewhere` shows an error beside its fields. */
  run: (save: () => Promise<unknown>, isShownElsewhere?: (error: unknown) => boolean) => Promise<boolean>;
}

/** State of saving a draft, with a toast for either outcome. A conflict is left to the draft's dialog. */
export function useSaving(texts: { saved: string; failed: string }): Saving {
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const run: Saving['run'] = async (save, isShownElsewhere = () => false) => {
    setSaving(true);
    try {
      await save();
      setError(null);
      toast.success(texts.saved);
      return true;
    } catch (failed) {
      if (failed instanceof ConflictError) return false;
      const isShown = isShownElsewhere(failed);
      setError(isShown ? null : failed instanceof Error ? failed : new Error(String(failed)));
      toast.error(texts.failed);
      return false;
    } finally {
      setSaving(false);
    }
  };
  return { saving, error, clearError: () => setError(null), run };
}
