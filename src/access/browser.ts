/** Names of browsers, read from their user agent, for the list of an operator's sessions. Pure. */

/** Patterns in order: the first match counts, because most browsers name the others too. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Return the name, such as `Firefox on Windows` or `curl`; null if neither part is known. */
export function browserOf(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '').slice(0, 500);
  const nameIn = (patterns: typeof BROWSERS) => patterns.find(([pattern]) => pattern.test(text))?.[1] ?? null;
  const names = [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((one) => one !== null);
  return names.length === 0 ? null : names.join(' on ');
}
