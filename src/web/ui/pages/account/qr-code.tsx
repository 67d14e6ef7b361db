import { encode } from 'uqr';
import classes from './qr-code.module.css';

/** Modules of light around the code: what a reader needs to find it (ISO/IEC 18004). */
const MARGIN = 4;

export interface QrCodeProps {
  readonly text: string;
  /** A description for people who can't see the code. */
  readonly label: string;
}

/** A QR code, dark on light in both themes, as readers expect. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { ecc: 'M', border: MARGIN });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg className={classes.code} role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`}>
      <path d={path} />
    </svg>
  );
}
