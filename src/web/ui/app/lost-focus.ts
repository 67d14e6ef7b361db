import { type RefObject, useEffect } from 'react';

/** Time for dialogs and menus to restore the focus themselves after they have closed; milliseconds. */
const GIVING_BACK_MS = 50;

/** Headings that can have the focus, but not by Tab. */
const HEADING = ':is(h1, h2)[tabindex]';

/**
 * Moves the focus when its element is removed (a form that was sent, a row that was deleted): to the nearest heading above,
 * where screen readers and Tab continue. A button that was disabled while it was busy gets the focus back, and so does the
 * element of the page that had it before a dialog. The dialog returns it too, but only if it is still lost by then: on a busy
 * machine this comes first.
 *
 * @param main the page, whose heading is used if there is no nearer one
 */
export function useLostFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    /** The last focused element and its ancestors. */
    let trail: Element[] = [];
    /** As `trail`, for the last focused element within the page. */
    let trailOnPage: Element[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const remember = ({ target }: FocusEvent) => {
      trail = target instanceof Element ? around(target) : [];
      if (main.current !== null && trail.includes(main.current)) trailOnPage = trail;
    };
    // a click on the background removes the focus on purpose
    const forget = () => {
      if (document.activeElement === document.body) trail = trailOnPage = [];
    };
    const settle = () => {
      timer = undefined;
      const [last] = trail;
      if (document.activeElement !== document.body || last === undefined) return;
      const target =
        [last, trailOnPage[0]].find((it) => it?.isConnected) ?? headingAbove(trailOnPage, main.current);
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

/** An element and its ancestors, from inside to outside. */
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
