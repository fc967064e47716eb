export { readYaml, yamlFaultText, YAML_LIMITS, type ReadYaml, type YamlFault } from './read-yaml.js';
