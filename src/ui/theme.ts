/**
 * The design tokens: every colour, size and duration of the console is a token of this theme or one of the CSS
 * variables below. Colours meet WCAG AA contrast in both schemes.
 */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, rem } from '@mantine/core';
import { replacedByTyping } from './replacedByTyping.ts';
import { SteadyButton } from './steady.tsx';

/** Deep indigo. Contrast of white: 8.8:1 on shade 7 (filled, light scheme), 4.8:1 on shade 5 (filled, dark scheme). */
const accent: MantineColorsTuple = [
  '#eef0fc',
  '#dfe2f8',
  '#c3c8f0',
  '#a3aae6',
  '#8a92dd',
  '#626ac6',
  '#4f55b8',
  '#3d42a0',
  '#323685',
  '#262a66',
];

/** Warm neutrals for the light scheme. */
const gray: MantineColorsTuple = [
  '#faf9f7',
  '#f4f2ef',
  '#eae7e2',
  '#dedad4',
  '#c6c1b9',
  '#928c84',
  '#67625b',
  '#4f4b45',
  '#35322e',
  '#1f1d1a',
];

/** Warm neutrals for the dark scheme, from text (0) to the darkest background (9). */
const dark: MantineColorsTuple = [
  '#dedad4',
  '#c4bfb8',
  '#aaa49c',
  '#837d75',
  '#423f3a',
  '#34312d',
  '#282623',
  '#1d1b19',
  '#161513',
  '#0f0e0d',
];

/** Names of the state colours that modules use for their stages and statuses. */
export type Tone = 'gray' | 'accent' | 'blue' | 'teal' | 'green' | 'yellow' | 'orange' | 'red' | 'grape';
const TONES: readonly Tone[] = ['gray', 'accent', 'blue', 'teal', 'green', 'yellow', 'orange', 'red', 'grape'];

/** The layer of a dialog that is opened from a popover: above it. */
export const OVER_POPOVERS = 400;

/** Below this width the side menu is a drawer (a phone, or a laptop at 200 % zoom). */
export const NARROW_SCREEN = '(max-width: 48em)';
/** Below this width the assistant's panel is a drawer. */
export const TOO_NARROW_FOR_PANEL = '(max-width: 64em)';
/** The assistant's panel is open beside the page until the operator closes it. */
export const WIDE_ENOUGH_FOR_PANEL = '(min-width: 90em)';

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 5 },
  colors: { accent, gray, dark },
  black: gray[9],
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  fontSizes: { xs: rem(12), sm: rem(14), md: rem(14), lg: rem(16), xl: rem(20) },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(20), lineHeight: '1.3' },
      h2: { fontSize: rem(16), lineHeight: '1.4' },
      h3: { fontSize: rem(14), lineHeight: '1.45' },
    },
  },
  radius: { xs: rem(4), sm: rem(6), md: rem(8), lg: rem(12), xl: rem(16) },
  defaultRadius: 'md',
  spacing: { xs: rem(8), sm: rem(12), md: rem(16), lg: rem(24), xl: rem(32) },
  shadows: { xs: 'none', sm: 'none', md: '0 4px 16px rgb(31 29 26 / 10%)', lg: '0 8px 28px rgb(31 29 26 / 12%)' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  components: {
    InputWrapper: {
      styles: { label: { marginBottom: rem(4) }, description: { lineHeight: 1.4 }, error: { marginTop: rem(4) } },
    },
    // With the default radius a small checkbox looks like a radio button.
    Checkbox: { defaultProps: { radius: 'xs' } },
    Modal: {
      styles: { title: { fontWeight: 600 } },
      defaultProps: { radius: 'md', transitionProps: { duration: 120 }, overlayProps: { backgroundOpacity: 0.35 } },
    },
    Drawer: { defaultProps: { transitionProps: { duration: 150 } } },
    // Of every button: `Button`, `ActionIcon`, items of menus.
    UnstyledButton: { defaultProps: { component: SteadyButton } },
    // The first item takes the focus. The placeholder element for it would be an extra child among the menu items.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, transitionProps: { duration: 100 }, shadow: 'md' } },
    Popover: { defaultProps: { transitionProps: { duration: 100 }, shadow: 'md' } },
    Select: {
      defaultProps: {
        comboboxProps: { transitionProps: { duration: 100 }, shadow: 'md' },
        // Enter takes the first that matches what is typed.
        selectFirstOptionOnChange: true,
        ...replacedByTyping,
      },
    },
    MultiSelect: { defaultProps: { comboboxProps: { transitionProps: { duration: 100 }, shadow: 'md' } } },
    Tooltip: {
      defaultProps: { openDelay: 300, transitionProps: { duration: 100 }, withArrow: false, multiline: true },
    },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
});

/** Contrast of white: on Mantine's own red 3.9:1 in light and 2.8:1 in dark; on this one 5.5:1. */
const filledRed = {
  '--mantine-color-red-filled': 'var(--mantine-color-red-9)',
  '--mantine-color-red-filled-hover': 'color-mix(in srgb, var(--mantine-color-red-9) 88%, var(--mantine-color-black))',
};

/** CSS variables in addition to Mantine's own. Use them as `var(--rapport-…)`. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--rapport-menu-wide': rem(240),
    '--rapport-menu-narrow': rem(64),
    '--rapport-row': rem(40),
    '--rapport-menu-row': rem(30),
    // Touch needs a larger target than a mouse.
    '--rapport-menu-row-touch': rem(40),
    '--rapport-menu-drawer': rem(300),
    '--rapport-mark': rem(32),
    '--rapport-bar': rem(52),
    '--rapport-form': rem(560),
    '--rapport-login': rem(380),
    '--rapport-motion': '150ms ease',
  },
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-placeholder': gray[6],
    '--mantine-color-default-border': gray[3],
    '--mantine-color-error': 'var(--mantine-color-red-8)',
    '--mantine-color-anchor': accent[7],
    '--rapport-focus': accent[7],
    '--rapport-ground': gray[0],
    '--rapport-hover': gray[1],
    '--rapport-marked': accent[0],
    '--rapport-marked-text': accent[8],
    '--rapport-edge': 'rgb(31 29 26 / 12%)',
    '--rapport-bubble-lead': gray[1],
    '--rapport-bubble-bot': accent[0],
    '--rapport-bubble-human': '#e6f3ee',
    '--rapport-added': '#eaf7ee',
    '--rapport-added-word': '#c4ebcf',
    '--rapport-removed': '#fdeeee',
    '--rapport-removed-word': '#f8cfcf',
    ...lightTones('9', '1'),
    ...filledRed,
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': dark[2],
    '--mantine-color-default': dark[6],
    '--mantine-color-default-border': dark[4],
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-anchor': accent[3],
    '--rapport-focus': accent[4],
    '--rapport-ground': dark[8],
    '--rapport-hover': dark[6],
    '--rapport-marked': '#2b2d4a',
    '--rapport-marked-text': accent[1],
    '--rapport-edge': 'rgb(0 0 0 / 45%)',
    '--rapport-bubble-lead': dark[6],
    '--rapport-bubble-bot': '#2b2d4a',
    '--rapport-bubble-human': '#21392f',
    '--rapport-added': '#1c3125',
    '--rapport-added-word': '#2b5a3d',
    '--rapport-removed': '#3a2222',
    '--rapport-removed-word': '#6a3030',
    ...darkTones(),
    ...filledRed,
  },
});

/** Colours of light badges and buttons. Mantine's own pairs miss AA for several colours. */
function lightTones(text: string, shade: string): Record<string, string> {
  return Object.fromEntries(
    TONES.flatMap((tone) => [
      [`--mantine-color-${tone}-light`, `var(--mantine-color-${tone}-${shade})`],
      [`--mantine-color-${tone}-light-hover`, `var(--mantine-color-${tone}-2)`],
      // The darkest shades of yellow, orange, green and teal still miss AA on their own tint (2.7:1 to 4.3:1).
      [
        `--mantine-color-${tone}-light-color`,
        `color-mix(in srgb, var(--mantine-color-${tone}-${text}) 65%, var(--mantine-color-black))`,
      ],
    ]),
  );
}

function darkTones(): Record<string, string> {
  return Object.fromEntries(
    TONES.flatMap((tone) => {
      const text = tone === 'gray' ? 'var(--mantine-color-gray-3)' : `var(--mantine-color-${tone}-2)`;
      const base = tone === 'gray' ? 'var(--mantine-color-gray-5)' : `var(--mantine-color-${tone}-6)`;
      return [
        [`--mantine-color-${tone}-light`, `color-mix(in srgb, ${base} 22%, transparent)`],
        [`--mantine-color-${tone}-light-hover`, `color-mix(in srgb, ${base} 30%, transparent)`],
        [`--mantine-color-${tone}-light-color`, text],
      ];
    }),
  );
}
