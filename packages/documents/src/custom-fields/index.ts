export { type Confirmation, deleteField, type FieldChange, updateField } from './change-field.ts';
export { type ComparedField, type FieldCondition, type FieldTest, fieldCondition, fieldConditions } from './field-conditions.ts';
export { type ChangedValues, changeFieldValues } from './field-values.ts';
export { type CustomField, createField, getField, listFields, listFieldsAfter, requireFieldPermission } from './fields.ts';
export { findFieldsByName, type NamedField } from './find-by-name.ts';
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
