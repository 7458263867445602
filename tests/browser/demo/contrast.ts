import { expect, type Page } from 'playwright/test';

const CONTRAST_MIN = 4.5;

/** Runs in the page: the texts whose colour is too near to what is behind them. */
function lowContrastTexts(least: number): string[] {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!canvas) return ['no canvas'];

  // Painting understands every notation of colours, and mixes translucent ones as the page does.
  const painted = (colours: readonly string[]): number[] => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  };
  const luminance = (colour: readonly number[]): number => {
    const [red = 0, green = 0, blue = 0] = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (from: Element): string[] => {
    const colours: string[] = [];
    for (let at: Element | null = from; at; at = at.parentElement) {
      colours.unshift(getComputedStyle(at).backgroundColor);
      if (at instanceof HTMLDialogElement) break;
    }
    return ['white', ...colours];
  };

  const found = new Set<string>();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent?.trim();
    const parent = walker.currentNode.parentElement;
    if (
      !text ||
      !parent?.checkVisibility({ visibilityProperty: true }) ||
      parent.closest('.unseen')
    ) {
      continue;
    }
    const grounds = behind(parent);
    const ink = luminance(painted([...grounds, getComputedStyle(parent).color]));
    const ground = luminance(painted(grounds));
    const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    if (contrast < least) found.add(`${contrast.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  return [...found];
}

/** Every text in the page stands out from its ground, in light and in dark. */
export async function expectContrast(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await page.evaluate(lowContrastTexts, CONTRAST_MIN), colorScheme).toEqual([]);
  }
}
