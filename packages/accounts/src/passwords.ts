// What checks a password without signing anybody in, without the sign-in methods and their libraries.
export { addressBlock } from './address-block.ts';
export { hashPassword, verifyPassword } from './password.ts';
export { isImportedHash } from './pbkdf2-password.ts';
