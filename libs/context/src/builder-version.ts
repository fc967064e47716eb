/**
 * Part of every manifest. Raise it with any change that gives other bytes for the same events: recorded calls then answer
 * `differs_by_version` instead of `corrupt`.
 */
export const BUILDER_VERSION = '5';
