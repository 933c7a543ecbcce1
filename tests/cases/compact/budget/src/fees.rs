fn fee() {}
