/** The version of this package and of the engine that it ships. */
export const version = '0.1.0';
