import { jest } from '@jest/globals';
import { PickType } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';
import { getMetadataStorage, IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import fc from 'fast-check';
import { declaredInstance, ListOf, Verbatim } from './declared-body.js';
import { Trimmed } from './request-fields.js';

class Item {
  @IsString()
  name: string;
}

class Body {
  @IsString()
  text: string;

  @IsIn(['a'], { each: true })
  letters: string[];

  @ListOf(() => Item, { max: 2 })
  items: Item[];

  @Verbatim()
  @IsObject()
  anything: object;
}

class Careless {
  @IsOptional()
  @IsObject()
  anything?: object;
}

class Named {
  @Trimmed()
  @IsString()
  name: string;
}

class Labelled extends Named {
  @Transform(({ value }: { value?: string }) => value && `${value}!`)
  @Transform(({ value }: { value?: string }) => value?.toLowerCase())
  @Trimmed()
  @IsOptional()
  label?: string;
}

class Picked extends PickType(Labelled, ['name', 'label'] as const) {}

const wide = { a: 1, b: 2 };

describe('The declared part of a body', () => {
  it('holds the declared properties, and undeclared ones are listed by name', () => {
    const text = '{"text":"t","more":1,"__proto__":2,"constructor":3,"items":[{"name":"n","more":4}]}';
    const { instance, undeclared } = declaredInstance(JSON.parse(text) as Record<string, unknown>, Body);
    expect(instance).toEqual({ text: 't', items: [{ name: 'n' }] });
    expect(undeclared).toEqual(['more', '__proto__', 'constructor', 'items.0.more']);
  });

  it('holds an empty object in place of one that is not declared', () => {
    const given = { text: wide, letters: ['a', wide, [wide]], items: [[wide], 1] };
    expect(declaredInstance(given, Body).instance).toEqual({
      text: {},
      letters: ['a', {}, []],
      items: [[], 1],
    });
    expect(declaredInstance({ text: [wide] }, Body).instance).toEqual({ text: [] });
  });

  it('holds the value itself where the property is @Verbatim', () => {
    expect((declaredInstance({ anything: wide }, Body).instance as Body).anything).toBe(wide);
  });

  it('is converted as by class-transformer, also where its class extends another or picks from it', () => {
    const texts = fc.record(
      { name: fc.constantFrom(' a ', '', 1, null), label: fc.constantFrom(' B ', undefined) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(texts, fc.constantFrom(Named, Labelled, Picked), (given, type) => {
        const { instance, undeclared } = declaredInstance(given, type);
        const declared = Object.entries(given).filter(([name]) => !undeclared.includes(name));
        expect(instance).toEqual(plainToInstance(type, Object.fromEntries(declared)));
        expect(instance).toBeInstanceOf(type);
      }),
    );
    expect(declaredInstance({ name: ' a ', label: ' B ' }, Labelled).instance).toEqual({
      name: 'a',
      label: 'b !',
    });
  });

  it('is found by one look-up of its class, however many bodies there are', () => {
    class Once extends Named {}
    const lookUps = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
    for (const name of ['a', 'b', 'c']) declaredInstance({ name }, Once);
    expect(lookUps).toHaveBeenCalledTimes(1);
    lookUps.mockRestore();
  });

  it('is refused when an array has more elements than its maximum', () => {
    expect(() => declaredInstance({ items: [1, 2, 3] }, Body)).toThrow(
      'items must contain no more than 2 elements',
    );
  });

  it('is refused for a class that takes objects without @Verbatim or @ListOf', () => {
    expect(() => declaredInstance({}, Careless)).toThrow('Careless.anything takes objects');
  });
});
