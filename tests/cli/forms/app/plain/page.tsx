export default () => <p id="plain">Nothing to send</p>;
