/** The tables of figures that are open, so that the assistant can save one. */
import { useEffect, useEffectEvent } from 'react';

/** Saves the table as CSV; resolves to the number of its rows. */
type Save = () => Promise<number>;

const open = new Map<string, Save>();

/** Keep a table under its title while it is shown. */
export function useOpenTable(title: string, save: Save): void {
  const saveNow = useEffectEvent(save);
  useEffect(() => {
    const own: Save = () => saveNow();
    open.set(title, own);
    return () => {
      if (open.get(title) === own) open.delete(title);
    };
  }, [title]);
}

/** Return the titles of the tables that are open. */
export const openTables = (): string[] => [...open.keys()];

/** Save an open table; null if none has this title. */
export const saveOpenTable = async (title: string): Promise<number | null> => (await open.get(title)?.()) ?? null;
