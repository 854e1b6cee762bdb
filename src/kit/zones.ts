/** Time zones to choose from. */
import { isZone } from '../platform/zones.ts';
import { t } from './t.ts';

interface ZoneOption {
  value: string;
  label: string;
}

/** Those that are chosen most. */
function usualZones(): ZoneOption[] {
  return [
    { value: 'Europe/Moscow', label: t('Moscow (GMT+3)') },
    { value: 'Europe/London', label: t('London') },
    { value: 'America/New_York', label: t('New York') },
    { value: 'America/Los_Angeles', label: t('Los Angeles') },
    { value: 'Asia/Tokyo', label: t('Tokyo') },
    { value: 'UTC', label: t('UTC') },
  ];
}

/** What a zone is called: `Moscow (GMT+3)`, `Europe/Riga`. */
export function zoneName(zone: string): string {
  return usualZones().find(({ value }) => value === zone)?.label ?? zone.replaceAll('_', ' ');
}

/** Names that Chromium still lists by what the places were once called (checked 2026-11). */
const RENAMED: Readonly<Record<string, string>> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

function presentName(zone: string): string {
  const present = RENAMED[zone];
  return present !== undefined && isZone(present) ? present : zone;
}

/** All zones by name, and the chosen one in any case. */
export function everyZone(chosen: string | null): ZoneOption[] {
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map(presentName)]);
  // Zones have older names that work but are not listed.
  if (chosen !== null) zones.add(chosen);
  return [...zones].map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}

/** The usual ones, then every other that the browser knows, and the chosen one in any case. */
export function zoneOptions(chosen: string): { group: string; items: ZoneOption[] }[] {
  const usual = usualZones();
  const others = new Set([...Intl.supportedValuesOf('timeZone').map(presentName), chosen]);
  for (const { value } of usual) others.delete(value);
  return [
    { group: t('Usual'), items: usual },
    { group: t('All time zones'), items: [...others].sort().map((value) => ({ value, label: zoneName(value) })) },
  ];
}

/** Whose clock it is: `Moscow time`, `New York time`, `UTC`. */
export function clockName(zone: string): string {
  const [area = '', ...places] = zone.split('/');
  const place = places.at(-1)?.replaceAll('_', ' ');
  return place === undefined || area === 'Etc' ? (place ?? zone) : t('{{place}} time', { place });
}
