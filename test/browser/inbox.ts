import type { Page } from 'playwright-core';
import { picture, redrawn, takesPictures, THEMES } from './browser.js';

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** An agent that tries to look like something else. */
export const HOSTILE = {
  title: 'Pay <b>12</b> euros',
  description: '<img src=x onerror=alert(1)> ok \u202e021\u202c \u001b[31mred\u001b[0m',
  action: {
    name: 'send_payment',
    args: { to: 'DE02\u200b\u200b\u200f9', note: '<script>x</script>\u2066\u0007', long: 'x'.repeat(4_000) },
  },
  risk: 'high',
};

/** A browser that grants notifications when it is asked, and notes them. */
export const GRANTING = `
  globalThis.notified = [];
  globalThis.Notification = class {
    static permission = 'default';
    static async requestPermission() {
      notified.push('asked');
      return (Notification.permission = 'granted');
    }
    constructor(title, { body }) {
      notified.push(body);
    }
  };
  document.hasFocus = () => false;
`;

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
