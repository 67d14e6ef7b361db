import { IsString } from 'class-validator';
import { ChangedText, documented, type Field } from './request-fields.js';
import { cutText } from './storable-text.js';

/** Accepts text of any length, and truncates it: the event is more important than the end of the text. */
export const CutTextField = ({ max, ...field }: Field & { readonly max: number }) =>
  documented(
    { ...field, description: `Cut after ${max} characters.` },
    { type: String },
    IsString(),
    ChangedText((text) => cutText(text, max)),
  );
