import { RepeatedRegistration } from './repeated-registration.js';

function recorded() {
  const done: string[] = [];
  const endings: (() => void)[] = [];
  const register = () => {
    done.push('registered');
    return new Promise<void>((resolve) => endings.push(resolve));
  };
  const pause = (ms: number) => {
    done.push(ms >= 100 ? 'pause' : 'no pause');
    return Promise.resolve();
  };
  const registration = new RepeatedRegistration(register, pause);
  /** A reply, and the end of the registration that follows from it. */
  const reply = async (asks: boolean) => {
    const followed = registration.follow(asks);
    await new Promise(setImmediate);
    endings.splice(0).forEach((end) => end());
    await followed;
  };
  return { done, registration, reply };
}

describe('A repeated registration', () => {
  it('is sent at once when a reply asks for it, and not when none does', async () => {
    const { done, reply } = recorded();
    await reply(false);
    await reply(true);
    expect(done).toEqual(['registered']);
  });

  it('waits for a pause when the reply before asked too, but not when that is over', async () => {
    const { done, reply } = recorded();
    for (const asks of [true, true, false, true]) await reply(asks);
    expect(done).toEqual(['registered', 'pause', 'registered', 'registered']);
  });

  it('is sent once when replies ask for it while it is under way', async () => {
    const { done, registration, reply } = recorded();
    const first = registration.now();
    await registration.follow(true);
    await registration.now();
    expect(done).toEqual(['registered']);
    await reply(false);
    await first;
  });
});
