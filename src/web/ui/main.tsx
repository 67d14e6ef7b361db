import './app/mantine-styles.js';
import '@mantine/notifications/styles.layer.css';
import './app/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { styleNonce } from './components/page-meta.js';

// the library that stops scrolling behind a dialog reads the nonce for its style from this variable
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = styleNonce();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
