/** Maximum length of a line, in bytes of UTF-8. A longer one is truncated. */
export const LONGEST_LINE_BYTES = 16 * 1024;
const CUT_MARK = '…[truncated]';
const LINE_FEED = 10;
/** Time after which an unfinished line is logged, because prompts and progress bars have no line feed; milliseconds. */
const PATIENCE_MS = 1_000;

/** Splits a process's output into lines, whatever its chunks. */
export class LineSplitter {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** True while the rest of a truncated line is skipped. */
  private isSkipping = false;
  /** The bytes of the line that have been shown; a byte more than the longest line at most. */
  private shown = Buffer.alloc(0);
  private timer: NodeJS.Timeout | undefined;
  private readonly decoder = new TextDecoder();

  /** @param onLine gets a line, or the next piece of an unfinished one, and the line from its beginning */
  constructor(private readonly onLine: (line: string, whole: string) => void) {}

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.add(chunk.subarray(start, end));
      this.finish();
      start = end + 1;
    }
    if (start < chunk.length) this.add(chunk.subarray(start));
    if (this.bytes > 0) this.timer ??= setTimeout(() => this.showPiece(), PATIENCE_MS);
  }

  /** A last line without a line feed counts too. */
  end(): void {
    if (this.bytes > 0) this.finish();
  }

  private showPiece(): void {
    this.timer = undefined;
    const bytes = Buffer.concat(this.pieces);
    const whole = wholeCharacters(bytes);
    if (whole.length === 0) return;
    this.emit(whole, '');
    this.shown = Buffer.concat([this.shown, whole]).subarray(0, LONGEST_LINE_BYTES + 1);
    // the bytes of a character that has not come as a whole
    if (whole.length < bytes.length) this.add(bytes.subarray(whole.length));
  }

  private add(piece: Buffer): void {
    if (this.isSkipping) return;
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (this.bytes <= LONGEST_LINE_BYTES) return;
    const line = Buffer.concat(this.pieces).subarray(0, LONGEST_LINE_BYTES);
    this.emit(wholeCharacters(line), CUT_MARK);
    this.isSkipping = true;
  }

  private finish(): void {
    if (!this.isSkipping)
      this.emit(this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces), '');
    this.isSkipping = false;
    this.shown = Buffer.alloc(0);
  }

  private emit(bytes: Buffer, mark: string): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pieces = [];
    this.bytes = 0;
    const line = overwritten(this.decoder.decode(bytes)) + mark;
    if (this.shown.length === 0) this.onLine(line, line);
    else if (line !== '') this.onLine(line, this.whole(bytes, mark));
  }

  private whole(bytes: Buffer, mark: string): string {
    const line = Buffer.concat([this.shown, bytes]);
    if (line.length <= LONGEST_LINE_BYTES) return overwritten(this.decoder.decode(line)) + mark;
    return overwritten(this.decoder.decode(wholeCharacters(line.subarray(0, LONGEST_LINE_BYTES)))) + CUT_MARK;
  }
}

/** The line as a terminal shows it: a carriage return restarts the line, as progress bars do. */
function overwritten(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf('\r') + 1);
}

/** The bytes without an incomplete character at the end: a byte of the form 10xxxxxx continues one. */
function wholeCharacters(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && (bytes[start]! & 0b1100_0000) === 0b1000_0000) start -= 1;
  const first = bytes[start] ?? 0;
  const length = first >= 0b1111_0000 ? 4 : first >= 0b1110_0000 ? 3 : first >= 0b1100_0000 ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}
