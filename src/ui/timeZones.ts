/** Time zones for selection. */
import { isZone } from '../platform/zones.ts';
import { t } from './i18n.ts';

interface ZoneOption {
  value: string;
  label: string;
}

/** The most used zones. */
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

/** Return the display name of a zone: `Moscow (GMT+3)`, `Europe/Riga`. */
export function zoneName(zone: string): string {
  return commonZones().find(({ value }) => value === zone)?.label ?? zone.replaceAll('_', ' ');
}

/** Current names of zones that Chromium still lists under their old names (checked 2026-11). */
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

/** Return all zones by name, always including the chosen one. */
export function allZones(chosen: string | null): ZoneOption[] {
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map(currentZoneName)]);
  // Older zone names are valid but not listed.
  if (chosen !== null) zones.add(chosen);
  return [...zones].map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}

/** Return the common zones, then all others that the browser knows, always including the chosen one. */
export function zoneOptions(chosen: string): { group: string; items: ZoneOption[] }[] {
  const common = commonZones();
  const others = new Set([...Intl.supportedValuesOf('timeZone').map(currentZoneName), chosen]);
  for (const { value } of common) others.delete(value);
  return [
    { group: t('Usual'), items: common },
    { group: t('All time zones'), items: [...others].sort().map((value) => ({ value, label: zoneName(value) })) },
  ];
}
