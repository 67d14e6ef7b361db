import { Injectable } from '@nestjs/common';

/** The end of this instance: it finishes requests under way and accepts no new work. */
@Injectable()
export class Drain {
  private readonly listeners: (() => void)[] = [];
  private begun = false;
  private announced = false;

  /** True once the instance should get no more traffic: `/ready` then returns 503. */
  get isAnnounced(): boolean {
    return this.announced;
  }

  get isDraining(): boolean {
    return this.begun;
  }

  /** Registers a listener, which is called when draining begins; long polls and streams must then end at once. */
  onBegin(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Shows load balancers that this instance will end; it serves requests until {@link begin}. */
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
