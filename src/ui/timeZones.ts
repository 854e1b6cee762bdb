/** Time zones to choose from. */
import { isZone } from '../platform/zones.ts';
import { t } from './i18n.ts';

interface ZoneOption {
  value: string;
  label: string;
}

/** Those that are chosen most. */
function commonZones(): ZoneOption[] {
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
  return commonZones().find(({ value }) => value === zone)?.label ?? zone.replaceAll('_', ' ');
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

function currentZoneName(zone: string): string {
  const currentName = RENAMED[zone];
  return currentName !== undefined && isZone(currentName) ? currentName : zone;
}

/** All zones by name, and the chosen one in any case. */
export function allZones(chosen: string | null): ZoneOption[] {
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map(currentZoneName)]);
  // Zones have older names that work but are not listed.
  if (chosen !== null) zones.add(chosen);
  return [...zones].map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}

/** The usual ones, then every other that the browser knows, and the chosen one in any case. */
export function zoneOptions(chosen: string): { group: string; items: ZoneOption[] }[] {
  const common = commonZones();
  const others = new Set([...Intl.supportedValuesOf('timeZone').map(currentZoneName), chosen]);
  for (const { value } of common) others.delete(value);
  return [
    { group: t('Usual'), items: common },
    { group: t('All time zones'), items: [...others].sort().map((value) => ({ value, label: zoneName(value) })) },
  ];
}

/** Whose clock it is: `Moscow time`, `New York time`, `UTC`. */
export function zoneTimeName(zone: string): string {
  const [area = '', ...places] = zone.split('/');
  const place = places.at(-1)?.replaceAll('_', ' ');
  return place === undefined || area === 'Etc' ? (place ?? zone) : t('{{place}} time', { place });
}
