import { useEffect, useEffectEvent } from 'react';

/** Where keys mean something else: they are typed, or move through options. */
const OTHERWISE_USED = 'input, textarea, select, [contenteditable=true], [role=dialog] *, [role=menu] *';

/**
 * Calls a function for each of these keys, pressed alone. A key that is held down counts once: a second press is a second thought.
 *
 * @param keys by `KeyboardEvent.key`
 */
export function useShortcuts(isOn: boolean, keys: Readonly<Record<string, () => void>>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const act = keys[event.key];
    if (act === undefined || event.defaultPrevented || event.repeat) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches(OTHERWISE_USED)) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    if (!isOn) return undefined;
    const listener = (event: KeyboardEvent) => press(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, [isOn]);
}
