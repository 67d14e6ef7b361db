import { useEffect, useEffectEvent, useRef } from 'react';

/** Elements in which keys have another meaning: they are typed, or move through options. */
const OTHERWISE_USED = 'input, textarea, select, [contenteditable=true], [role=dialog] *, [role=menu] *';

/** Time within which the second key of a pair follows the first one; milliseconds. */
const PAIR_MS = 2_000;

/**
 * Calls a function for each of these keys, pressed alone. A key that is held down counts once: a second press is a second thought.
 *
 * @param keys by `KeyboardEvent.key`
 */
export function useShortcuts(isOn: boolean, keys: Readonly<Record<string, () => void>>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const act = keys[event.key];
    if (act === undefined || !isShortcut(event)) return;
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

/**
 * Calls a function for each of these keys, pressed after a first key. The functions of {@link useShortcuts} don't get the second key.
 *
 * @param seconds by `KeyboardEvent.key`
 */
export function useKeyPairs(
  isOn: boolean,
  first: string,
  seconds: Readonly<Record<string, () => void>>,
): void {
  const pressedAt = useRef(-Infinity);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!isShortcut(event)) return;
    const act = event.timeStamp - pressedAt.current < PAIR_MS ? seconds[event.key] : undefined;
    pressedAt.current = act === undefined && event.key === first ? event.timeStamp : -Infinity;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    if (!isOn) return undefined;
    const listener = (event: KeyboardEvent) => press(event);
    // before the listeners for single keys
    window.addEventListener('keydown', listener, { capture: true });
    return () => window.removeEventListener('keydown', listener, { capture: true });
  }, [isOn]);
}

/** True: the key is pressed alone, once, and not typed. */
function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !(event.target instanceof Element && event.target.matches(OTHERWISE_USED));
}
