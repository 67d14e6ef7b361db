import { ageHint } from './age-hint.js';

describe('The hint about another version of svc', () => {
  it.each([
    ['0.9.0', '0.10.0'],
    ['1.2.3', '2.0.0'],
    ['1.2.3', '1.2.4'],
  ])('names both versions: %s, %s', (own, ofService) => {
    expect(ageHint(own, ofService)).toContain(`svc ${own} is older than the service, ${ofService}`);
  });

  it.each([
    ['1.10.0', '1.9.9'],
    ['2.0.0', '1.9.9'],
  ])('says what a newer svc has to expect: %s, %s', (own, ofService) => {
    expect(ageHint(own, ofService)).toContain(`svc ${own} is newer than the service, ${ofService}`);
  });

  it.each([
    ['1.2.3', '1.2.3'],
    ['1.0.0', 'a build'],
  ])('is left out otherwise: %s, %s', (own, ofService) => {
    expect(ageHint(own, ofService)).toBeUndefined();
  });
});
