import { Injectable } from '@nestjs/common';

/** The end of this instance: it finishes requests under way and accepts no new work. */
@Injectable()
export class Drain {
  private readonly listeners: (() => void)[] = [];
  private begun = false;
  private announced = false;

  /** The instance shall get no more traffic: `/ready` is a 503 from here on. */
  get isAnnounced(): boolean {
    return this.announced;
  }

  get isDraining(): boolean {
    return this.begun;
  }

  /** Calls `listener` when draining begins; long polls and streams must then answer at once. */
  onBegin(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Tells load balancers that this instance is about to end; it serves on until {@link begin}. */
  announce(): void {
    this.announced = true;
  }

  begin(): void {
    this.announce();
    if (this.begun) return;
    this.begun = true;
    for (const listener of this.listeners) listener();
  }
}
