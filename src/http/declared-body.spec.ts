import { IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { declaredPart, ListOf, Verbatim } from './declared-body.js';

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

const wide = { a: 1, b: 2 };

describe('The declared part of a body', () => {
  it('holds the declared properties, and undeclared ones are listed by name', () => {
    const text = '{"text":"t","more":1,"__proto__":2,"constructor":3,"items":[{"name":"n","more":4}]}';
    const { body, undeclared } = declaredPart(JSON.parse(text) as Record<string, unknown>, Body);
    expect(body).toEqual({ text: 't', items: [{ name: 'n' }] });
    expect(undeclared).toEqual(['more', '__proto__', 'constructor', 'items.0.more']);
  });

  it('holds an empty object in place of one that is not declared', () => {
    const { body } = declaredPart({ text: wide, letters: ['a', wide, [wide]], items: [[wide], 1] }, Body);
    expect(body).toEqual({ text: {}, letters: ['a', {}, []], items: [[], 1] });
    expect(declaredPart({ text: [wide] }, Body).body).toEqual({ text: [] });
  });

  it('hides @Verbatim values from class-transformer', () => {
    const { body } = declaredPart({ anything: wide }, Body);
    expect((body.anything as () => unknown)()).toBe(wide);
  });

  it('is refused when an array has more elements than its maximum', () => {
    expect(() => declaredPart({ items: [1, 2, 3] }, Body)).toThrow(
      'items must contain no more than 2 elements',
    );
  });

  it('is refused for a class that takes objects without @Verbatim or @ListOf', () => {
    expect(() => declaredPart({}, Careless)).toThrow('Careless.anything takes objects');
  });
});
