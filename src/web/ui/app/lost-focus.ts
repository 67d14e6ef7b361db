import { type RefObject, useEffect } from 'react';

/** Dialogs and menus give the focus back themselves, a moment after they have closed; milliseconds. */
const GIVING_BACK_MS = 50;

/** Headings that may have the focus, though not by Tab. */
const HEADING = ':is(h1, h2)[tabindex]';

/**
 * Finds a place for the focus when what had it is gone (a form that was sent, a row that was deleted): the heading that is
 * nearest above, where screen readers go on and Tab leads to what comes next. A button that could not be pressed while
 * it was busy gets it back.
 *
 * @param main the page, whose heading is the last resort
 */
export function useLostFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    /** What had the focus last, and everything that it was in. */
    let trail: Element[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const remember = ({ target }: FocusEvent) => (trail = target instanceof Element ? around(target) : []);
    // a click beside everything has taken the focus away on purpose
    const forget = () => {
      if (document.activeElement === document.body) trail = [];
    };
    const settle = () => {
      timer = undefined;
      const [last] = trail;
      if (document.activeElement !== document.body || last === undefined) return;
      const target = last.isConnected ? last : headingAbove(trail, main.current);
      if (target instanceof HTMLElement && !target.matches(':disabled'))
        target.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => (timer ??= setTimeout(settle, GIVING_BACK_MS)));
    document.addEventListener('focusin', remember);
    document.addEventListener('click', forget, { capture: true });
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] });
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('click', forget, { capture: true });
    };
  }, [main]);
}

/** An element and what it is in, from inside to outside. */
function around(element: Element | null): Element[] {
  return element === null || element === document.body ? [] : [element, ...around(element.parentElement)];
}

function headingAbove(trail: readonly Element[], main: HTMLElement | null): Element | null {
  const places = trail.filter((it) => it.isConnected && it !== main && main?.contains(it));
  for (const place of main === null ? places : [...places, main]) {
    const heading = place.querySelector(HEADING);
    if (heading) return heading;
  }
  return main;
}
