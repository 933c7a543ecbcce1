pub fn addFee() {}
