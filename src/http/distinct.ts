import { ValidateBy } from 'class-validator';

/**
 * Validates an array of strings without duplicates. class-validator's `ArrayUnique` compares each with each: 100,000
 * strings took it six seconds.
 */
export const Distinct = () =>
  ValidateBy({
    name: 'distinct',
    validator: {
      validate: (value) => Array.isArray(value) && new Set(value).size === value.length,
      defaultMessage: (rule) => `All ${rule?.property}'s elements must be unique`,
    },
  });
