import { Skeleton, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';

/** Time before a placeholder is shown, so that fast replies don't make it flash; milliseconds. */
const UNNOTICED_MS = 200;

/**
 * True once something has been pending for a noticeable time.
 *
 * @param afterMs that time, in milliseconds
 */
export function useNoticeable(isPending: boolean, afterMs = UNNOTICED_MS): boolean {
  const [isNoticeable, setNoticeable] = useState(false);
  useEffect(() => {
    if (!isPending) return undefined;
    const timer = setTimeout(() => setNoticeable(true), afterMs);
    return () => {
      clearTimeout(timer);
      setNoticeable(false);
    };
  }, [isPending, afterMs]);
  return isPending && isNoticeable;
}

interface PendingProps {
  readonly rows?: number;
  readonly height?: number;
}

/** Placeholder of rows that are being loaded. */
export function Pending({ rows = 4, height = 40 }: PendingProps) {
  const isShown = useNoticeable(true);
  return (
    <Stack gap="xs" aria-busy="true" mih={rows * (height + 10)}>
      {isShown && <PendingRows rows={rows} height={height} />}
    </Stack>
  );
}

/** The rows of the placeholder. */
export function PendingRows({ rows, height }: Required<PendingProps>) {
  return (
    <>
      <span role="status" className="visually-hidden">
        Loading
      </span>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} />
      ))}
    </>
  );
}
