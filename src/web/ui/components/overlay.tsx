import { type ReactNode, useSyncExternalStore } from 'react';
import { useEscapeKept } from './escape-kept.js';

interface Shown {
  readonly content: ReactNode;
  readonly onEscape: () => void;
}

let shown: Shown | null = null;
let tell = (): void => undefined;

/** Shows a dialog over the page and its dialogs, in place of the former one; null: none. */
export function showOverlay(next: Shown | null): void {
  shown = next;
  tell();
}

function subscribe(listener: () => void): () => void {
  tell = listener;
  return () => (tell = () => undefined);
}

/** Place of what {@link showOverlay} shows; there is one. */
export function Overlay(): ReactNode {
  const present = useSyncExternalStore(subscribe, () => shown);
  // here and not in the dialog: dialogs of the page that were open before it would get the key first
  useEscapeKept(present !== null, present?.onEscape);
  return present?.content;
}
