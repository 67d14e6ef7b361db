import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type RefCallback,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/** Maximum length of a list that is rendered completely, because it is cheaper than placeholders. */
const WHOLE = 60;
/** Estimated height of a row that has not been rendered yet; pixels. */
const ROW_HEIGHT = 44;
/** Number of rows rendered above and below the visible ones. */
const MARGIN = 12;

export interface DrawnRows<Row> {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly shown: readonly { readonly row: Row; readonly index: number }[];
  /** Heights of the rows that are left out; pixels. */
  readonly before: number;
  readonly after: number;
  readonly isVirtual: boolean;
  readonly measure: RefCallback<Element> | undefined;
}

/** The visible rows of a long list, as the window scrolls. */
export function useDrawnRows<Row>(rows: readonly Row[], onEndReached?: () => void): DrawnRows<Row> {
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const isVirtual = rows.length > WHOLE;
  useLayoutEffect(() => {
    if (frame.current) setTop(frame.current.getBoundingClientRect().top + window.scrollY);
  }, [isVirtual]);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: MARGIN,
    scrollMargin: top,
    enabled: isVirtual,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1);
  const isAtEnd = isVirtual && last !== undefined && last.index >= rows.length - 1;
  const reachEnd = useEffectEvent(() => onEndReached?.());
  useEffect(() => {
    if (isAtEnd) reachEnd();
  }, [isAtEnd, rows.length]);
  if (!isVirtual) {
    const shown = rows.map((row, index) => ({ row, index }));
    return { frame, shown, before: 0, after: 0, isVirtual, measure: undefined };
  }
  return {
    frame,
    shown: items.map(({ index }) => ({ row: rows[index]!, index })),
    before: (items[0]?.start ?? top) - top,
    after: virtualizer.getTotalSize() - ((last?.end ?? top) - top),
    isVirtual,
    measure: virtualizer.measureElement,
  };
}
