/** Prints what happens, with the minute and the second of it. */
export class Narrator {
  private readonly begun = performance.now();

  tell(text: string): void {
    const seconds = Math.floor((performance.now() - this.begun) / 1_000);
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    process.stdout.write(`  ${clock.padStart(5)}  ${text}\n`);
  }
}
