import { jest } from '@jest/globals';
import {
  ArrayMaxSize,
  ArrayMinSize,
  getMetadataStorage,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Min,
  validate,
  ValidateIf,
} from 'class-validator';
import fc from 'fast-check';
import { satisfiesRules } from './compiled-rules.js';
import { declaredInstance, ListOf } from './declared-body.js';

class Item {
  @IsString()
  @Length(1, 3)
  name: string;

  @IsOptional()
  @Min(1)
  count?: number;
}

class Body {
  @IsOptional()
  @IsEmail()
  email?: string;

  @IsIn(['a', 'b'], { each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(3)
  @IsArray()
  letters: string[];

  @ListOf(() => Item, { max: 2 })
  items: Item[];

  @ValidateIf((body: Body) => body.isNamed)
  @Matches(/^x/)
  name?: string;

  @IsBoolean()
  isNamed: boolean;

  @IsInt()
  @Min(1)
  whole: number;
}

class Child extends Item {
  @IsUUID()
  id: string;
}

const odd = fc.constantFrom(undefined, null, '', 'a', 'xyz', 0, 1, 1.5, true, {}, [], ['a'], [['a']], [null]);
const or = <Value>(good: fc.Arbitrary<Value>) => fc.oneof({ weight: 6, arbitrary: good }, odd);
const item = fc.record(
  { name: or(fc.constantFrom('ab', 'abcd')), count: or(fc.integer({ min: -1, max: 2 })) },
  { requiredKeys: [] },
);
const body = fc.record(
  {
    email: or(fc.constantFrom('a@example.com', 'nobody')),
    letters: or(fc.array(or(fc.constantFrom('a', 'b', 'c')), { maxLength: 3 })),
    items: or(fc.array(or(item), { maxLength: 2 })),
    name: or(fc.constantFrom('xy', 'yx')),
    isNamed: or(fc.boolean()),
    whole: or(fc.integer({ min: 0, max: 2 })),
  },
  { requiredKeys: ['letters', 'items', 'isNamed', 'whole'] },
);

describe('The compiled rules of a class', () => {
  it('are satisfied by the bodies in which class-validator finds nothing wrong, and by no others', async () => {
    let satisfied = 0;
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const { instance } = declaredInstance(given, Body);
        const isValid = satisfiesRules(instance, Body);
        if (isValid) satisfied++;
        expect(isValid).toBe((await validate(instance, { forbidUnknownValues: false })).length === 0);
      }),
      { numRuns: 2_000 },
    );
    expect(satisfied).toBeGreaterThan(10);
  });

  it('include those of the classes that it extends', () => {
    const id = '01960000-0000-7000-8000-000000000000';
    expect(satisfiesRules(Object.assign(new Child(), { id, name: 'ab' }), Child)).toBe(true);
    expect(satisfiesRules(Object.assign(new Child(), { id, name: '' }), Child)).toBe(false);
  });

  it('are looked up once for a class, however many instances are checked', () => {
    class Once extends Item {}
    const lookUps = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
    for (const name of ['a', 'b', '']) satisfiesRules(Object.assign(new Once(), { name }), Once);
    expect(lookUps).toHaveBeenCalledTimes(1);
    lookUps.mockRestore();
  });
});
