export {
  type Confirmation,
  type CustomField,
  createField,
  deleteField,
  type FieldChange,
  getField,
  listFields,
  listFieldsAfter,
  requireFieldPermission,
  updateField,
} from './change-field.ts';
export {
  type ChangedValues,
  type ComparedField,
  changeFieldValues,
  type FieldCondition,
  type FieldTest,
  fieldCondition,
  fieldConditions,
  findFieldsByName,
  type NamedField,
} from './field-values.ts';
export { addValues, isEmptyValue, readValue } from './import-values.ts';
export { type DocumentField, listFieldValues } from './list-values.ts';
export { mergeFields } from './merge-fields.ts';
export { hasValue as hasFieldValue } from './value-sql.ts';
export {
  countFieldValues,
  holdFields,
  normalizeValue,
  readFieldValues,
  type SettableField,
  type StoredValue,
  setFieldOfDocuments,
} from './values-by-id.ts';
