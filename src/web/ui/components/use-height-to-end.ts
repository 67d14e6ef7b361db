import { useLayoutEffect, useRef } from 'react';

/** Space that is left below; pixels. */
const MARGIN = 16;

/**
 * For an element that fills the window down to its end: passes its position to its style sheet as `--top-of-element`.
 */
export function useHeightToEnd(): React.RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = () => {
      const it = element.current;
      if (it === null) return;
      const top = it.getBoundingClientRect().top + window.scrollY;
      it.style.setProperty('--top-of-element', `${Math.round(top + MARGIN)}px`);
    };
    place();
    // the elements above grow when their content is loaded
    const observer = new ResizeObserver(place);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  return element;
}
