import './app/mantine-styles.js';
import '@mantine/notifications/styles.layer.css';
import './app/theme.css';
import { StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { firstPageLoaded } from './app/router.js';
import { styleNonce } from './components/page-meta.js';

// the library that stops scrolling behind a dialog reads the nonce for its style from this variable
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = styleNonce();

void firstPageLoaded().then(() => {
  const focused = document.activeElement?.getAttribute('href');
  const root = createRoot(document.getElementById('root')!);
  flushSync(() =>
    root.render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
  if (focused) focusLink(focused);
});

/** Focuses the link that had the focus in the document's frame, which the page has replaced. */
function focusLink(href: string): void {
  const links = document.querySelectorAll<HTMLElement>(`#root a[href="${CSS.escape(href)}"]`);
  [...links].find((link) => link.checkVisibility())?.focus();
}
