/** Checks of a page's layout, measured on the page at its present size. */
import type { Page } from '@playwright/test';

/** Return one line for each layout fault; none if all of the page can be read and reached. */
export async function layoutFaults(page: Page, place: string): Promise<string[]> {
  const width = page.viewportSize()?.width ?? 0;
  await untilNothingMoves(page);
  const found = await Promise.all([measureControls, measureTexts, measureParts].map((one) => page.evaluate(one)));
  return [...new Set(found.flat())].map((one) => `${place}, ${width} px: ${one}`);
}

/** Wait until the page's animations are over. */
export const untilNothingMoves = (page: Page): Promise<void> => page.evaluate(waitForAnimations);

/**
 * Runs on the page: the frame moves for a moment after its width has changed. Endless animations are not waited for.
 */
async function waitForAnimations(): Promise<void> {
  await new Promise((painted) => requestAnimationFrame(painted));
  const moving = document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime));
  await Promise.allSettled(moving.map((one) => one.finished));
}

/** Runs on the page, so it must not use anything defined outside it. */
function measureControls(): string[] {
  const CONTROLS =
    'button, a[href], input, textarea, select, summary, [role="button"], [role="tab"], [role="combobox"], [role="switch"]';
  // Distances between glyphs and boxes are fractions of a pixel; nothing below this is visible or affects a touch.
  const SLACK = 2;
  const wide = document.documentElement;
  const faults: string[] = [];
  if (wide.scrollWidth > window.innerWidth) faults.push(`the page is ${wide.scrollWidth} px wide`);

  const styles = new Map<Element, CSSStyleDeclaration>();
  const styleOf = (element: Element) => {
    const style = styles.get(element) ?? getComputedStyle(element);
    styles.set(element, style);
    return style;
  };
  const nameOf = (element: Element) =>
    `${element.tagName.toLowerCase()} "${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}"`;
  const isVisible = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('[inert]');
  const clips = (value: string) => value === 'hidden' || value === 'clip';
  // A dialog blocks the page: then only its content counts.
  const dialogs = [...document.querySelectorAll('[role="dialog"]')].filter(isVisible);
  const layer = dialogs.at(-1) ?? document.body;

  /** Return the part of a box that its scrolling and clipping ancestors leave visible; null if none. */
  const left = (element: Element) => {
    let { left: x, right, top, bottom } = element.getBoundingClientRect();
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
      const { overflowX, overflowY, position } = styleOf(at);
      const box = at.getBoundingClientRect();
      if (overflowX !== 'visible') [x, right] = [Math.max(x, box.left), Math.min(right, box.right)];
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      if (position === 'fixed') break;
    }
    return right - x > SLACK && bottom - top > SLACK ? { x, right, top, bottom } : null;
  };
  /** Return the layer that floats over the page on purpose: two controls are only compared within the same. */
  const stackingLayer = (element: Element) => {
    for (let at: Element | null = element.parentElement; at; at = at.parentElement) {
      const { position, zIndex } = styleOf(at);
      if (position === 'fixed' || position === 'sticky' || (position === 'absolute' && zIndex !== 'auto')) return at;
    }
    return document.body;
  };

  const controls = [...layer.querySelectorAll(CONTROLS)]
    .filter((one) => isVisible(one) && !(one instanceof HTMLInputElement && one.type === 'hidden'))
    .flatMap((element) => {
      const { width, height } = element.getBoundingClientRect();
      // Text for screen readers only, and inputs replaced by a drawn one.
      const hidden = width <= 1 || height <= 1 || styleOf(element).clipPath !== 'none';
      const box = hidden ? null : left(element);
      return box
        ? [{ element, box, floor: stackingLayer(element), field: element.closest('.mantine-InputWrapper-root') }]
        : [];
    });
  for (const { element, box } of controls) {
    if (box.x < -SLACK || box.right > window.innerWidth + SLACK) faults.push(`${nameOf(element)} is out of the page`);
    const whole = element.getBoundingClientRect();
    if (whole.right - box.right <= SLACK && box.x - whole.left <= SLACK) continue;
    // What is cut off sideways must be reachable by scrolling.
    let at = element.parentElement;
    while (at && at !== document.body && styleOf(at).overflowX === 'visible') at = at.parentElement;
    if (at && clips(styleOf(at).overflowX) && styleOf(at).textOverflow !== 'ellipsis')
      faults.push(`${nameOf(element)} is cut`);
  }
  for (const [index, one] of controls.entries()) {
    for (const other of controls.slice(index + 1)) {
      if (one.floor !== other.floor || (one.field && one.field === other.field)) continue;
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.x, other.box.x);
      const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (across > SLACK && down > SLACK) faults.push(`${nameOf(one.element)} lies on ${nameOf(other.element)}`);
    }
  }
  return faults;
}

/** Runs on the page like `measureControls`: texts that are cut off, or lie outside of the page. */
function measureTexts(): string[] {
  const SLACK = 2;
  const faults: string[] = [];
  const isVisible = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('[inert]');
  const scrolls = (value: string) => value === 'auto' || value === 'scroll';
  const clips = (value: string) => value === 'hidden' || value === 'clip';
  const layer = [...document.querySelectorAll('[role="dialog"]')].filter(isVisible).at(-1) ?? document.body;
  const walker = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent || (node.textContent ?? '').trim() === '' || !isVisible(parent)) continue;
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (text.width <= 1) continue;
    let ellipsis = false;
    for (let at: Element | null = parent; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      const box = at.getBoundingClientRect();
      if (box.width <= 1 || style.clipPath !== 'none') break;
      ellipsis ||= style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
      if (scrolls(style.overflowX) || ellipsis) break;
      if (clips(style.overflowX) && (text.right > box.right + SLACK || text.left < box.left - SLACK)) {
        faults.push(`the text "${(node.textContent ?? '').trim().slice(0, 40)}" is cut`);
        break;
      }
      if (style.position === 'fixed') break;
    }
    if (!ellipsis && text.left < -SLACK)
      faults.push(`the text "${(node.textContent ?? '').trim().slice(0, 40)}" is out`);
  }
  return faults;
}

/** Runs on the page like `measureControls`: fields and badges without room, and parts that scroll sideways. */
function measureParts(): string[] {
  const SLACK = 2;
  // From this width on, a table shows all columns that it opens with.
  const LAPTOP = 1280;
  const MIN_FIELD_WIDTH = 28;
  const faults: string[] = [];
  const isVisible = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('[inert]');
  const scrolls = (value: string) => value === 'auto' || value === 'scroll';
  const layer = [...document.querySelectorAll('[role="dialog"]')].filter(isVisible).at(-1) ?? document.body;

  // A field that is too narrow to show more than three letters.
  for (const field of layer.querySelectorAll('input')) {
    const { paddingLeft, paddingRight } = getComputedStyle(field);
    const textWidth = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    const written = ['text', 'search', 'number', 'password'].includes(field.type) && field.clientWidth > 1;
    if (written && isVisible(field) && textWidth < MIN_FIELD_WIDTH)
      faults.push(`the field "${field.getAttribute('aria-label') ?? field.name}" has no room for its text`);
  }

  // A badge has a word or two: cut off, they mean something else or nothing.
  for (const badge of layer.querySelectorAll('.mantine-Badge-label')) {
    if (isVisible(badge) && badge.scrollWidth > badge.clientWidth)
      faults.push(`the badge "${badge.textContent}" is cut`);
  }

  // A cell that is cut while the other columns have more room than it lacks.
  for (const table of layer.querySelectorAll('table:has(th[data-column])')) {
    const heads = [...table.querySelectorAll<HTMLElement>('th[data-column]')];
    const cut: { text: string; lacks: number }[] = [];
    const spare = heads.map((head) => {
      const cells = [...table.querySelectorAll('tr')].flatMap(
        (row) => row.children[[...(head.parentElement?.children ?? [])].indexOf(head)] ?? [],
      );
      const free = cells.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const { paddingLeft, paddingRight } = getComputedStyle(cell);
        const room = cell.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        const inner = [cell, ...cell.querySelectorAll('*')].filter(
          (one) => getComputedStyle(one).overflowX !== 'visible',
        );
        const lacks = Math.max(0, ...inner.map((one) => one.scrollWidth - one.clientWidth));
        if (lacks > SLACK) cut.push({ text: (cell.textContent ?? '').trim().slice(0, 40), lacks });
        return lacks > SLACK ? 0 : room - range.getBoundingClientRect().width;
      });
      return Math.max(0, Math.min(...free));
    });
    const room = spare.reduce((sum, one) => sum + one, 0);
    for (const { text, lacks } of cut)
      if (room > lacks + SLACK * heads.length) faults.push(`the cell "${text}" is cut beside room`);
  }

  // A part of a page that scrolls sideways without being meant to. Allowed are tables, texts of code, the line of a
  // list's filters and a page's tabs on a phone, the rows of a file with any number of columns, models side by side, and the steps of a
  // board.
  const MAY =
    'pre, code, .cm-scroller, [role="tablist"], [class*="_chips_"], [class*="_tabs_"], [class*="_rows_"], [class*="_lanes_"]';
  for (const element of layer.querySelectorAll('*')) {
    if (element.scrollWidth <= element.clientWidth + SLACK || !scrolls(getComputedStyle(element).overflowX)) continue;
    if (!isVisible(element) || element.matches(MAY) || element instanceof HTMLTextAreaElement) continue;
    if (element.querySelector('table') && window.innerWidth < LAPTOP) continue;
    faults.push(`${element.tagName.toLowerCase()}.${element.className} scrolls sideways`);
  }
  return faults;
}
