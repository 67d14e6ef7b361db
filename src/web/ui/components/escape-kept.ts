import { useEffectEvent, useLayoutEffect } from 'react';

/**
 * Keeps Escape from dialogs of the page while a dialog is over them: they would close and lose their input.
 *
 * @param onEscape called in their place
 */
export function useEscapeKept(isKept: boolean, onEscape?: () => void): void {
  const keep = useEffectEvent((event: KeyboardEvent) => {
    if (!isKept || event.key !== 'Escape') return;
    event.stopImmediatePropagation();
    onEscape?.();
  });
  // a layout effect runs before the effects in which dialogs add their listeners
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => keep(event);
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
