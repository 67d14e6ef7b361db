import type { Page } from 'playwright-core';
import { picture, redrawn, takesPictures, THEMES } from './browser.js';

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Takes pictures of a page in both themes, on a wide screen and on a phone; none in a usual run. */
export async function inboxPicture(page: Page, name: string): Promise<void> {
  if (!takesPictures) return;
  const before = page.viewportSize()!;
  for (const colorScheme of THEMES) {
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await redrawn(page);
      await picture(page, `${name}-${size.width}-${colorScheme}`);
    }
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: 'light' });
}
