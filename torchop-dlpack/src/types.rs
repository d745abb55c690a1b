//! Torch's dtypes and devices in DLPack's words.

use dlpark::ffi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType};
use torchop_runtime::{DType, Device, DeviceType, Error, Result};

/// Those that both have.
const DTYPES: [(DType, DLDataType); 21] = [
    (DType::UInt8, DLDataType::U8),
    (DType::UInt16, DLDataType::U16),
    (DType::UInt32, DLDataType::U32),
    (DType::UInt64, DLDataType::U64),
    (DType::Int8, DLDataType::I8),
    (DType::Int16, DLDataType::I16),
    (DType::Int32, DLDataType::I32),
    (DType::Int64, DLDataType::I64),
    (DType::Float16, DLDataType::scalar(DLDataTypeCode::FLOAT, 16)),
    (DType::Float32, DLDataType::F32),
    (DType::Float64, DLDataType::F64),
    (DType::BFloat16, DLDataType::scalar(DLDataTypeCode::BFLOAT, 16)),
    (DType::Complex32, DLDataType::scalar(DLDataTypeCode::COMPLEX, 32)),
    (DType::Complex64, DLDataType::C64),
    (DType::Complex128, DLDataType::C128),
    (DType::Bool, DLDataType::BOOL),
    (DType::Float8E5M2, DLDataType::F8E5M2),
    (DType::Float8E5M2Fnuz, DLDataType::F8E5M2FNUZ),
    (DType::Float8E4M3Fn, DLDataType::F8E4M3FN),
    (DType::Float8E4M3Fnuz, DLDataType::F8E4M3FNUZ),
    (DType::Float8E8M0Fnu, DLDataType::F8E8M0FNU),
];

pub(crate) fn dtype_to(dtype: DType) -> Result<DLDataType> {
    let found = DTYPES.iter().find(|(ours, _)| *ours == dtype);
    found.map(|(_, theirs)| *theirs).ok_or_else(|| {
        Error::not_implemented(format!("DLPack has no name for tensors of {dtype}; convert it with `to` before"))
    })
}

pub(crate) fn dtype_from(dtype: DLDataType) -> Result<DType> {
    let found = DTYPES.iter().find(|(_, theirs)| theirs.matches(dtype));
    found.map(|(ours, _)| *ours).ok_or_else(|| {
        let DLDataType { code, bits, lanes } = dtype;
        Error::not_implemented(format!(
            "torch has no dtype for a DLPack tensor of type code {}, {bits} bits, {lanes} lanes",
            code.0
        ))
    })
}

pub(crate) fn device_to(device: Device) -> Result<DLDevice> {
    match device.kind {
        DeviceType::Cpu => Ok(DLDevice::CPU),
        DeviceType::Cuda => Ok(DLDevice::cuda(device.index.unwrap_or(0).into())),
        _ => Err(Error::not_implemented(format!(
            "a tensor on {device} cannot be given away by DLPack; expected one on cpu or cuda"
        ))),
    }
}

pub(crate) fn device_from(device: DLDevice) -> Result<Device> {
    match (device.device_type, u8::try_from(device.device_id)) {
        (DLDeviceType::CPU, _) => Ok(Device::CPU),
        (DLDeviceType::CUDA, Ok(index)) if index < 128 => Ok(Device::cuda(index)),
        _ => Err(Error::not_implemented(format!(
            "a DLPack tensor on a device of type {} (number {}); expected 1 (the CPU) or 2 (CUDA)",
            device.device_type.0, device.device_id
        ))),
    }
}
